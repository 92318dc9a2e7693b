# The only commands that a newcomer needs. They want Rust, a C compiler and make.

CARGO ?= cargo

.PHONY: run test test-full test-api bench match scaling load trainer fmt lint docker

run: ## serves on the address of config/default.toml
	$(CARGO) run --locked --release -- serve

test: ## three minutes once built; suites outside the project join in when KIBITZER_SUITES names their folder
	$(CARGO) test --locked --workspace --no-fail-fast

test-full: ## every suite to its full depth, every random test at its full length, on all cores
	KIBITZER_FULL=1 $(CARGO) test --locked --workspace --no-fail-fast

test-api: ## requests of all kinds against the contract, by schemathesis; wants Python, and makes itself an environment under target/
	tests/schemathesis/run

bench: ## speed, side by side with other libraries; benches/http.sh measures the service
	$(CARGO) bench --locked

match: ## the engine against the UCI engine that OPPONENT=… names, by fastchess; benches/match.sh tells the rest
	$(CARGO) build --locked --release --bin kibitzer
	benches/match.sh 'target/release/kibitzer uci' '$(OPPONENT)'

scaling: ## what threads and company cost, on the positions of BOOK=…; two cores and nothing else running
	$(CARGO) bench --locked --bench scaling -- threads --positions '$(BOOK)'
	$(CARGO) bench --locked --bench scaling -- depth --positions '$(BOOK)'
	$(CARGO) bench --locked --bench scaling -- concurrency --positions '$(BOOK)'
	$(CARGO) bench --locked --bench scaling -- stop --positions '$(BOOK)'

load: ## the service under ten times the searches that it completes, and a batch of 2,000 positions; nothing else running
	$(CARGO) bench --locked --bench load -- overload
	$(CARGO) bench --locked --bench load -- batch

trainer: ## the network's trainer for this machine's processor: target/native/release/kibitzer-trainer
	RUSTFLAGS="-C target-cpu=native" $(CARGO) build --locked --release --package kibitzer-trainer --target-dir target/native

fmt: ## formats the code
	$(CARGO) fmt --all

lint: ## what .ci/run asks of the code before it tests it
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps --document-private-items

docker: ## builds the image `kibitzer`
	docker build --tag kibitzer .
