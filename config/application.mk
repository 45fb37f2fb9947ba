# Builds programs against an installed PlexGPU, and plexgpugeo where they use it: make NAME compiles NAME.c. pkg-config has to find both:
#   export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig
CC     = mpicc
CFLAGS = -O2 -g

%: %.c
	$(CC) $(CFLAGS) $(CPPFLAGS) $$(pkg-config --cflags plexgpu) -o $@ $< $(LDFLAGS) -Wl,--as-needed $$(pkg-config --libs plexgpu plexgpugeo) -lm
