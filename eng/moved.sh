#!/usr/bin/env bash
# Measures samples/MovedApp before and after its move to Poolhouse, in turns, with wrk: on SQLite, and on PostgreSQL if it is installed.
#
#   eng/moved.sh [SECONDS] [TURNS]     by default 5 seconds each, 5 turns: about seven minutes, on a quiet machine
#
# Prints the median of the requests per second and of the 99th percentile, for the table in samples/MovedApp/README.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-5} turns=${2:-5} pgport=$((41000 + RANDOM % 9000))
command -v wrk > /dev/null || { echo "eng/moved.sh: wrk is missing; eng/servers.sh install" >&2; exit 1; }
for side in Before After; do
  dotnet build "samples/MovedApp/$side" -c Release -v q -nologo
done

work=$(mktemp -d)
chmod 755 "$work"
pids=()
stop() {
  [ "${#pids[@]}" -eq 0 ] || kill "${pids[@]}" 2> /dev/null || true
  wait
  rm -rf "$work"
}
trap stop EXIT

databases=(SQLite)
bin=$(compgen -G '/usr/lib/postgresql/*/bin' | tail -1 || true)
if [ -n "$bin" ]; then
  as=()
  [ "$(id -u)" -ne 0 ] || as=(runuser -u postgres --)
  mkdir "$work/pg" && chmod 777 "$work/pg"
  "${as[@]}" "$bin/initdb" -D "$work/pg/data" -U orders -A trust > /dev/null
  "${as[@]}" "$bin/postgres" -D "$work/pg/data" -p $pgport -k "$work/pg" -c listen_addresses=127.0.0.1 > "$work/pg.log" 2>&1 &
  pids+=($!)
  until "$bin/pg_isready" -q -h 127.0.0.1 -p $pgport; do sleep 0.2; done
  databases+=(PostgreSQL)
fi

connection() {
  [ "$1" = SQLite ] && echo "Data Source=$work/orders.db" || echo "Host=127.0.0.1;Port=$pgport;Username=orders;Database=postgres"
}

port=$((20000 + RANDOM % 20000))
declare -A urls
for database in "${databases[@]}"; do
  for side in Before After; do
    port=$((port + 1))
    urls[$database,$side]=http://127.0.0.1:$port
    (cd "samples/MovedApp/$side" && ConnectionStrings__orders=$(connection "$database") \
      exec "../../../artifacts/bin/$side/release/MovedApp.$side" --urls "http://127.0.0.1:$port") > "$work/$database.$side.log" 2>&1 &
    pids+=($!)
    until curl -sf "http://127.0.0.1:$port/orders/1" > /dev/null; do sleep 0.2; done
  done
done

median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

echo "| database | request | connections | before | after | 99th percentile before | after |"
echo "|---|---|---:|---:|---:|---:|---:|"
for database in "${databases[@]}"; do
  for path in /orders/7 /sum; do
    for connections in 8 64; do
      for turn in $(seq "$turns"); do
        for side in Before After; do
          out=$(wrk --latency -t 2 -c "$connections" -d "${seconds}s" "${urls[$database,$side]}$path")
          awk '/Requests\/sec/ { print $2 }' <<< "$out" >> "$work/rate.$side"
          awk '/ 99%/ { t = $2; if (t ~ /us$/) m = 0.001; else if (t ~ /ms$/) m = 1; else m = 1000; print t * m }' <<< "$out" >> "$work/slow.$side"
          ! grep -q 'Non-2xx' <<< "$out" || echo "$database $path $side: $(grep 'Non-2xx' <<< "$out")" >&2
        done
      done
      echo "| $database | \`GET $path\` | $connections | $(median < "$work/rate.Before")/s | $(median < "$work/rate.After")/s | $(median < "$work/slow.Before") ms | $(median < "$work/slow.After") ms |"
      rm -f "$work"/rate.* "$work"/slow.*
    done
  done
done
