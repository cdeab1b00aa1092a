# `just` lists these. Each is one line that can as well be typed.

[private]
default:
    @just --list --unsorted

# everything that has to hold before a change lands, in the order of CI
check *STEPS:
    bash .ci/run {{ STEPS }}

# the tests alone
test *FILTER:
    cargo test {{ FILTER }}

# one story, told to the real binary
story NAME:
    cargo test --test it -- --nocapture stories::{{ NAME }}

# the hub killed over and over while clients work, and what it promised held against what it kept
torture KILLS="2000":
    CALLBOARD_TORTURE={{ KILLS }} cargo test --test it -- --nocapture torture::story

# the owner of two hubs on one PostgreSQL killed over and over while clients order, each other fault a twentieth as often
cluster-night KILLS="200":
    CALLBOARD_KILLS={{ KILLS }} cargo test --test it postgres::night -- --ignored --nocapture --test-threads=1

# one hub on PostgreSQL killed over and over
torture-postgres KILLS="200":
    CALLBOARD_TORTURE={{ KILLS }} cargo test --test it over_a_database -- --ignored --nocapture

# how much of the domain its own tests reach
coverage:
    tests/domain/run coverage

# what the domain's own tests do not notice when it is changed
mutants *ARGS:
    tests/domain/run mutants {{ ARGS }}

# one schedule of the simulation, with its whole script
sim SEED:
    SIM_SEEDS=1 SIM_FROM={{ SEED }} cargo test --test simulation -- --nocapture every_schedule

# one network of the simulation
sim-net SEED:
    SIM_NET_SEEDS=1 SIM_NET_FROM={{ SEED }} cargo test --test simulation -- --nocapture every_promise

# races of people, timer, withdrawal and crash for one answer
races MANY="10000":
    CALLBOARD_RACES={{ MANY }} CALLBOARD_DISCORD_STORIES=1000 cargo test --lib -- --nocapture of_all_who

# one story of a forge and a tracker that fail, beside a hub that is killed
outside SEED:
    CALLBOARD_SEED={{ SEED }} cargo test --lib -- --nocapture nothing_is_lost_or_doubled_outside

# a night of schedules, each night others; built to be quick, which takes some minutes first
sim-night SEEDS="1000000" FROM="100000":
    SIM_SEEDS={{ SEEDS }} SIM_FROM={{ FROM }} cargo test --profile sim --test simulation -- --nocapture every_schedule

# how well prompts are found, on recordings of real programs
prompt-score:
    cargo test -p callboard-detect --test prompts -- --nocapture what_is_found

# recordings of real programs: show [NAME], add GROUP FOLDER…, extract GROUP FOLDER
corpus *ARGS:
    @cargo run --quiet -p callboard-detect --example corpus -- {{ ARGS }}

# record real programs anew, into target/recorded; as root, on a machine that may be thrown away
record-prompts *FILTER:
    tests/recorder/run {{ FILTER }}

# terminal and detector fed with chance, ten million times
prompt-fuzz CASES="10000000":
    PROPTEST_CASES={{ CASES }} cargo test --release -p callboard-detect --lib -- any_bytes_will_do any_sequences_will_do every_screen_has_a_verdict

# the shape of the tree
tidy:
    cargo test --test it -- tidy::

# real MCP clients against a real hub, all of them or the rows that begin so
clients *ROWS:
    tests/clients/run {{ ROWS }}

# how long each real MCP client waits, measured: the tables of docs/clients.md; takes a quarter of an hour
waits:
    tests/clients/run --waits
    tests/clients/agents/run --waits

# retention of ten days, at so many tasks a day: whether the files stay as large as they are
retention TASKS="100000":
    CALLBOARD_RETENTION_TASKS={{ TASKS }} cargo test --release --lib -- --nocapture lets_go_after_ten_days

# load and latency, against the floor measured in the same run; built as it is handed out, which takes some minutes first
bench *ARGS:
    cargo build --profile dist --bin callboard
    cargo run --profile dist -p callboard-bench -- measure {{ ARGS }}

# one task from its creation to its end
trace TASK:
    cargo run --quiet -- task show {{ TASK }} -o json

# the hub with two scripted agents
demo:
    cargo run -- serve --demo

# the page in a browser, all checks or those of one (`UI-04`), and its JavaScript against the API's types (`types`)
page *CHECK:
    tests/page/run {{ CHECK }}
