# Builds programs against an installed PlexGPU: make NAME compiles NAME.c. pkg-config has to find it:
#   export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig
CC     = mpicc
CFLAGS = -O2 -g

%: %.c
	$(CC) $(CFLAGS) $(CPPFLAGS) $$(pkg-config --cflags plexgpu) -o $@ $< $(LDFLAGS) $$(pkg-config --libs plexgpu) -lm
