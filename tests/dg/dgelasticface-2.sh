#!/usr/bin/env bash
# Elastic waves at surfaces and interfaces on 2 processes; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/dgelasticface
