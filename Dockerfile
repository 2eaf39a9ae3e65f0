# telemetryd as an image, for every platform that the base image has.
#   docker build -t telemetryd:0.1.0 --build-arg REVISION=$(git rev-parse HEAD) .
#   docker run --read-only -v "$PWD/telemetryd.yaml":/etc/telemetryd/telemetryd.yaml:ro -v telemetryd-state:/data telemetryd:0.1.0
# In the configuration let state.directory be /data, ops.listen :9464 where something outside of the container asks it, and
# name a redis.url where Redis is needed: there is no redis-server in here. There is HAProxy for the section gateway, whose
# addresses also have to be reached from outside: let gateway.listen be :8082 and gateway.tlsListen :8443, and publish them.
# `npm run prove -- image` builds it with Docker and runs it. buildah and podman keep the HEALTHCHECK only in docker's format:
# `podman build --format docker`.

ARG NODE_IMAGE=node:24-bookworm-slim

# Bundles on the machine that builds: JavaScript is the same for all. `linux` is that machine's own architecture.
FROM --platform=linux ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts/build.mjs scripts/
COPY src src
RUN npm run build

# The packages that run, for the platform that the image is for: snappy is native. The compiler comes along as somebody's
# optional peer; neither it nor type declarations and source maps are of use here.
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts && \
    rm -rf node_modules/typescript && \
    find node_modules -type f -regex '.*\.\(d\.[cm]?ts\|map\)' -delete

# What virtual machines run in (provider.engine.vmRunnerImage): docker build --target vm-runner. The provider gives the program.
FROM debian:bookworm-slim AS vm-runner
RUN apt-get update && \
    apt-get install --yes --no-install-recommends qemu-system-x86 qemu-utils ovmf passt iproute2 xorriso e2fsprogs util-linux && \
    rm -rf /var/lib/apt/lists/*

FROM ${NODE_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="telemetryd" \
      org.opencontainers.image.description="Exports every raw sample of a metrics store to Prometheus remote-write receivers, as ExportPolicies declare." \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production
# The daemon runs HAProxy for the section gateway, as its own user; Debian's service of it is never started. nft keeps the
# provider's networks apart: it needs --network host and --cap-add NET_ADMIN, as root.
RUN apt-get update && \
    apt-get install --yes --no-install-recommends haproxy nftables && \
    rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN mkdir /data && chown 1000:1000 /data
VOLUME /data
# The base image's user "node", as a number: Kubernetes cannot tell by a name that it is not root.
USER 1000:1000
EXPOSE 9464
# Asks the ops address, 127.0.0.1:9464 unless --address is added; 0 when the daemon answers.
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["node", "/app/dist/cli.js", "status"]
# Node as the first process handles SIGTERM itself: docker stop ends it in order.
ENTRYPOINT ["node", "/app/dist/cli.js"]
CMD ["run", "--config", "/etc/telemetryd/telemetryd.yaml"]
