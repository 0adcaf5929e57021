# syntax=docker/dockerfile:1

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY scripts scripts
COPY tsconfig.base.json tsconfig.build.json tsconfig.client.json vite.config.ts ./
COPY src src
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
# Fonts for overlay labels and the demo desktop.
RUN apt-get update \
  && apt-get install -y --no-install-recommends fonts-dejavu-core \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir /data && chown node:node /data
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE NOTICE ./
COPY data data
# Inside the container only its own network sees this; publish it on loopback, as compose.yaml does.
ENV NODE_ENV=production OC_HOST=0.0.0.0 OC_PORT=3000 OC_DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "const ask = (way, or) => require(way).get({ host: '127.0.0.1', port: process.env.OC_PORT, path: '/health', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', or); ask('http', () => ask('https', () => process.exit(1)))"]
ENTRYPOINT ["node", "--enable-source-maps", "dist/main.js"]
