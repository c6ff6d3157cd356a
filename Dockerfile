# One image of Sluice: Node, the bundle and the few packages that stay outside of it, on a base without a shell.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
ARG BASE_IMAGE=gcr.io/distroless/cc-debian12:nonroot

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY . .
RUN npm ci --no-audit --no-fund && npm run build

FROM ${NODE_IMAGE} AS production
WORKDIR /production
COPY package.json package-lock.json .npmrc ./
# What the workspaces use is in the bundle, and the Node that comes as a package is in the image already.
RUN npm ci --omit=dev --workspaces=false --ignore-scripts --no-audit --no-fund \
  && npm prune --omit=dev --workspaces=false --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* node_modules/node-bin-* node_modules/.cache \
  && mkdir data

FROM ${BASE_IMAGE}
WORKDIR /app
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=production /production/package.json ./
COPY --from=production /production/node_modules ./node_modules
COPY --from=build /build/LICENSE /build/CHANGELOG.md /build/sluice.schema.json /build/apply.schema.json ./
COPY --from=build /build/bin ./bin
COPY --from=build /build/dist ./dist
# A volume takes the owner of the folder that it covers.
COPY --from=production --chown=65532:65532 /production/data /data
ENV NODE_ENV=production SLUICE_HOST=0.0.0.0 SLUICE_PORT=8080 SLUICE_DATA=/data
USER 65532:65532
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["/usr/local/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.SLUICE_PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/local/bin/node", "/app/bin/sluice.cjs"]
CMD ["serve"]
