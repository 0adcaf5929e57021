# syntax=docker/dockerfile:1

# On the machine that builds, whatever machine it is for: nothing of the second stage is run while it is made.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
WORKDIR /app
# Fonts for overlay labels and the demo desktop; and what becomes the data folder.
RUN apt-get update \
  && apt-get install -y --no-install-recommends fonts-dejavu-core \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir /data
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY scripts scripts
COPY tsconfig.base.json tsconfig.json tsconfig.client.json vite.config.ts vite.extension.config.ts vite.server.config.ts ./
COPY src src
RUN npm run build
# What runs, with the native parts of the machine it is for.
ARG TARGETARCH
RUN CPU=$(node -p "({ amd64: 'x64' })['$TARGETARCH'] || '$TARGETARCH' || process.arch") \
  && npm ci --omit=dev --no-audit --no-fund --os=linux --libc=glibc --cpu="$CPU"

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=build /usr/share/fonts/truetype/dejavu /usr/share/fonts/truetype/dejavu
COPY --from=build --chown=node:node /data /data
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
