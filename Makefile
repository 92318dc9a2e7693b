# The commands for everyday work. They need Rust, a C compiler and make.

CARGO ?= cargo

.PHONY: run test test-full test-api test-hostile test-cluster test-deploy test-web test-clients web bench match scaling load trainer fmt lint docker

run: ## serve on the address of config/default.toml
	$(CARGO) run --locked --release -- serve

test: ## run all tests, three minutes after the build; KIBITZER_SUITES: a folder of more suites
	$(CARGO) test --locked --workspace --no-fail-fast

test-full: ## run every suite at full depth and every random test at full length, on all cores
	KIBITZER_FULL=1 $(CARGO) test --locked --workspace --no-fail-fast \
		--config profile.dev.package.kibitzer.opt-level=3 \
		--config profile.dev.package.kibitzer-trainer.opt-level=3

test-api: ## test the contract with schemathesis and with generated clients; needs Python and Node.js
	tests/schemathesis/run
	tests/generators/run

test-hostile: ## attack a server with half requests and unread responses; 100 s, more with KIBITZER_FULL
	$(CARGO) test --locked --workspace --test hostile

test-cluster: ## test several nodes with real servers; needs redis-server, libfaketime, iproute2 and Python
	tests/cluster/run

test-deploy: ## restart the nodes of config/cluster under load; needs redis-server, HAProxy and Python
	$(CARGO) build --locked --release --bin kibitzer
	tests/deploy/rolling-restart

test-web: ## test the analysis board in Chromium; needs Chromium and the Node.js of web/package.json
	web/e2e/run

test-clients: ## test the clients in TypeScript and Python; needs Node.js, Python and Chromium
	clients/run

web: ## build the analysis board into web/dist; needs the Node.js of web/package.json
	web/install
	cd web && npm run build

bench: ## compare the speed with other libraries; benches/http.sh measures the service
	$(CARGO) bench --locked

match: ## play against the UCI engine OPPONENT=… with fastchess; see benches/match.sh
	$(CARGO) build --locked --profile dist --bin kibitzer
	benches/match.sh 'target/dist/kibitzer uci' '$(OPPONENT)'

scaling: ## measure threads and concurrent searches, positions of BOOK=…; needs two idle cores
	$(CARGO) bench --locked --bench scaling -- threads --positions '$(BOOK)'
	$(CARGO) bench --locked --bench scaling -- depth --positions '$(BOOK)'
	$(CARGO) bench --locked --bench scaling -- concurrency --positions '$(BOOK)'
	$(CARGO) bench --locked --bench scaling -- stop --positions '$(BOOK)'

load: ## measure the service at ten times its capacity, and a batch of 2,000; needs an idle machine
	$(CARGO) build --locked --release --package kibitzer-loadtest
	$(CARGO) bench --locked --bench load -- overload
	$(CARGO) bench --locked --bench load -- batch

trainer: ## build the network's trainer for this processor: target/native/release/kibitzer-trainer
	RUSTFLAGS="-C target-cpu=native" $(CARGO) build --locked --release \
		--package kibitzer-trainer --target-dir target/native

fmt: ## format the code
	$(CARGO) fmt --all

lint: ## check the format, lints and docs, as .ci/run does before the tests
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) clippy --locked --workspace --test cluster --test hostile -- -D warnings # not among all targets
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps --document-private-items

docker: ## build the image `kibitzer`
	docker build --tag kibitzer .
