# telemetryd as an image: built in one stage, run in another that has neither the compiler nor its packages.
#   docker build -t telemetryd .
#   docker run -v ./telemetryd.yaml:/etc/telemetryd/telemetryd.yaml:ro -v telemetryd-state:/data telemetryd
# Let state.directory be /data, and ops.listen 0.0.0.0:9464 where something outside of the container asks it.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 9464
# Node as the first process handles SIGTERM itself: docker stop ends it in order.
ENTRYPOINT ["node", "/app/dist/cli.js"]
CMD ["run", "--config", "/etc/telemetryd/telemetryd.yaml"]
