# The only commands that a newcomer needs. They want Rust, a C compiler and make.

CARGO ?= cargo

.PHONY: run test test-full bench match fmt lint docker

run: ## serves on the address of config/default.toml
	$(CARGO) run --locked --release -- serve

test: ## a few minutes; suites outside the project join in when KIBITZER_SUITES names their folder
	$(CARGO) test --locked --no-fail-fast

test-full: ## every suite to its full depth, every random test at its full length, on all cores
	KIBITZER_FULL=1 $(CARGO) test --locked --no-fail-fast

bench: ## speed, side by side with other libraries; benches/http.sh measures the service
	$(CARGO) bench --locked

match: ## the engine against the UCI engine that OPPONENT=… names, by fastchess; benches/match.sh tells the rest
	$(CARGO) build --locked --release --bin kibitzer
	benches/match.sh 'target/release/kibitzer uci' '$(OPPONENT)'

fmt: ## formats the code
	$(CARGO) fmt

lint: ## what .ci/run asks of the code before it tests it
	$(CARGO) fmt --check
	$(CARGO) clippy --locked --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps --document-private-items

docker: ## builds the image `kibitzer`
	docker build --tag kibitzer .
