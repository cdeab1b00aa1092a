# The hub as an image: one binary on a small Debian, as a user without rights, on a read-only root.
#
#   docker build --tag callboard .
#   docker run --read-only --tmpfs /tmp --volume callboard:/var/lib/callboard --network host callboard
#
# So it listens on 127.0.0.1:7420 of the host, as without a container. In a network of its own it has to listen on every
# interface, which it refuses without TLS or a declared proxy, for what a container publishes is in the clear:
#
#   docker run --read-only --tmpfs /tmp --volume callboard:/var/lib/callboard --publish 7420:7420 \
#     --volume ./config:/etc/callboard:ro --env CALLBOARD_CONFIG=/etc/callboard callboard
#
# with `listen: 0.0.0.0:7420` and `tls` or `behindProxy` in config/hub.yaml (README.md, "For a team").
#
# It brings no CA certificates: the hub has Mozilla's roots compiled in. One of your own is mounted, and named by
# SSL_CERT_FILE. `.ci/run image` builds this root without docker and tries it.

FROM rust:1.95-slim-bookworm AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends gcc libc6-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY . .
# `release` builds in minutes; `dist` links for nine more, and its waiting proxy weighs less.
ARG PROFILE=dist
RUN cargo build --locked --profile "$PROFILE" --bin callboard \
 && mv "target/$PROFILE/callboard" target/callboard

FROM debian:bookworm-slim
RUN groupadd --gid 65532 callboard \
 && useradd --uid 65532 --gid 65532 --no-create-home --home-dir /var/lib/callboard --shell /usr/sbin/nologin callboard \
 && install --directory --owner=65532 --group=65532 --mode=0700 /var/lib/callboard
COPY --from=build /build/target/callboard /usr/local/bin/callboard
USER 65532:65532
ENV CALLBOARD_DATA_DIR=/var/lib/callboard
VOLUME /var/lib/callboard
EXPOSE 7420
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["callboard", "doctor", "--ready"]
ENTRYPOINT ["callboard"]
CMD ["serve"]
