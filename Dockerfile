# One image for all roles. It starts everything by default, with a Redis and a SQLite database in /data; another
# command starts one role: `node dist/api/server.js`, `node dist/jobs/worker.js`, `node dist/haraka-plugin/server.js`.
# See docs/deploying-containers.md.

# Debian with Node.js 22.12 or newer and npm.
ARG BASE=docker.io/library/node:22-bookworm-slim

FROM $BASE AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev
COPY . .
RUN scripts/stage /product

FROM $BASE
RUN apt-get update \
  && apt-get install -y --no-install-recommends redis-server \
  && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log \
  && useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin mayfly \
  && install -d -o mayfly -g mayfly -m 700 /data
WORKDIR /app
COPY --from=build /product ./
ENV BIND_HOST=0.0.0.0 DATA_DIR=/data MALLOC_ARENA_MAX=2
USER mayfly
VOLUME /data
EXPOSE 3000 2525
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "const { PORT, READY_FILE } = process.env; const url = PORT === '0' ? JSON.parse(fs.readFileSync(READY_FILE)).url : `http://127.0.0.1:${PORT || 3000}`; fetch(`${url}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/scripts/supervise/main.js"]
