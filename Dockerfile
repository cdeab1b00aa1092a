# The hub as an image: one binary on a small Debian, as a user without rights, on a read-only root.
#
#   docker build --tag callboard .
#   docker run --read-only --volume callboard:/var/lib/callboard --publish 127.0.0.1:7420:7420 callboard
#
# Inside a container the hub has to listen on every interface, which it refuses without TLS or a declared proxy:
# mount a configuration that names one of the two (README.md, "For a team").

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
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["callboard", "agents"]
ENTRYPOINT ["callboard"]
CMD ["serve"]
