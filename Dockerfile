# Builds for x86-64-v2 and arm64: .cargo/config.toml says which instructions, per architecture.

FROM rust:1.95-slim-trixie AS build
WORKDIR /kibitzer

# The dependencies alone, with nothing of the code: this layer is built anew only when a manifest changes.
COPY Cargo.toml Cargo.lock ./
COPY loadtest/Cargo.toml loadtest/
COPY training/Cargo.toml training/
COPY .cargo .cargo
RUN mkdir src \
    && echo 'fn main() {}' > src/main.rs \
    && touch src/lib.rs \
    && cargo build --release --locked --bin kibitzer \
    && rm -r src

COPY config config
COPY src src
# Cargo goes by the files' times, which the copies have kept from before the layer above.
RUN touch src/main.rs src/lib.rs \
    && cargo build --release --locked --bin kibitzer \
    && strip target/release/kibitzer \
    && mkdir -p /var/lib/kibitzer

# glibc, libgcc and certificates, and nothing else: no shell, no package manager.
FROM gcr.io/distroless/cc-debian13
COPY --from=build /kibitzer/target/release/kibitzer /usr/local/bin/kibitzer
# A volume takes over the owner.
COPY --from=build --chown=10001:10001 /var/lib/kibitzer /var/lib/kibitzer

# Every key of config/default.toml can be set like these.
ENV KIBITZER__LISTEN=0.0.0.0:8080 \
    KIBITZER__STORE__PATH=/var/lib/kibitzer \
    KIBITZER__LOG__FORMAT=json \
    KIBITZER__SHUTDOWN__GRACE_MS=9000

USER 10001:10001
VOLUME /var/lib/kibitzer
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=4s --start-period=10s --retries=3 CMD ["/usr/local/bin/kibitzer", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/kibitzer"]
CMD ["serve"]
