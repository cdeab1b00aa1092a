# What runs in the demo's terminal: work that is done, and a question that comes again until the terminal is closed.
printf '$ cargo test --lib login\r\n   Compiling shop v0.4.2\r\n    Finished `test` profile in 4.21s\r\n'
printf '\033[32mrunning 14 tests\033[0m\r\n..............\r\ntest result: ok. 14 passed; 0 failed\r\n'
printf '$ ./deploy --to staging\r\nPushing image shop:0.4.2 ... done\r\n'
while :; do
  printf 'Migrate the staging database now? [y/N] '
  read -r answer || exit 0
  case $answer in
    [yY]*) printf 'Migrating 14 tables ... done\r\n$ ./deploy --to staging --again\r\nNothing to push.\r\n' ;;
    *) printf 'Staging stays on the old database.\r\n$ ./deploy --to staging --again\r\nNothing to push.\r\n' ;;
  esac
done
