# The environment that Tutti is built and tested in. The sources are mounted, not copied:
#   docker build -t tutti . && docker run --rm -it -v "$PWD:/tutti" tutti
FROM debian:12
COPY scripts/packages scripts/install-dependencies /tmp/scripts/
RUN bash -c 'source /tmp/scripts/packages && apt-get update -qq && /tmp/scripts/install-dependencies "${build_packages[@]}" "${demo_packages[@]}" "${test_packages[@]}" git clang-format gdb'
WORKDIR /tutti
CMD ["bash"]
