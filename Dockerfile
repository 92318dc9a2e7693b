# Builds for x86-64-v2 and arm64. .cargo/config.toml selects the instructions per architecture.

FROM rust:1.95-slim-trixie AS build
WORKDIR /kibitzer

# Only the dependencies: this layer changes only when a manifest changes.
COPY Cargo.toml Cargo.lock ./
COPY loadtest/Cargo.toml loadtest/
COPY training/Cargo.toml training/
COPY .cargo .cargo
RUN mkdir src \
    && echo 'fn main() {}' > src/main.rs \
    && touch src/lib.rs \
    && cargo build --profile dist --locked --bin kibitzer \
    && rm -r src

COPY config config
COPY src src
COPY web/dist web/dist
COPY web/pieces/flat web/pieces/flat
# Cargo compares file times, and the copied files are older than the layer above.
RUN touch src/main.rs src/lib.rs \
    && cargo build --profile dist --locked --bin kibitzer --bin kibitzer-uci \
    && strip target/dist/kibitzer target/dist/kibitzer-uci \
    && mkdir -p /var/lib/kibitzer

# Only glibc, libgcc and certificates: no shell, no package manager.
FROM gcr.io/distroless/cc-debian13
COPY --from=build /kibitzer/target/dist/kibitzer /kibitzer/target/dist/kibitzer-uci /usr/local/bin/
# A new volume inherits the owner.
COPY --from=build --chown=10001:10001 /var/lib/kibitzer /var/lib/kibitzer

# Every key of config/default.toml has an environment variable of this form.
ENV KIBITZER__LISTEN=0.0.0.0:8080 \
    KIBITZER__STORE__PATH=/var/lib/kibitzer \
    KIBITZER__LOG__FORMAT=json \
    KIBITZER__SHUTDOWN__GRACE_MS=9000

USER 10001:10001
VOLUME /var/lib/kibitzer
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=4s --start-period=10s --retries=3 \
    CMD ["/usr/local/bin/kibitzer", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/kibitzer"]
CMD ["serve"]
