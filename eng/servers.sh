#!/usr/bin/env bash
# Installs what the tests need in addition to the SDK (as root on Debian), or lists what is missing.
#
#   eng/servers.sh install
#
# Only the programs of PostgreSQL, PgBouncer, MariaDB, Firebird, OpenLDAP, dnsmasq, RabbitMQ, Redis, sshd and Prometheus are needed: the tests start their own servers, in temporary
# folders, and stop them. The services of the installed packages are not started, and no default cluster or directory is created.
set -uo pipefail

if [ "${1:-}" != install ]; then
  echo "usage: eng/servers.sh install" >&2
  exit 2
fi

# Debian keeps the programs of PostgreSQL out of PATH; see src/Poolhouse.Tool/Servers/ServerPrograms.cs.
has_postgres() {
  [ -x "${POOLHOUSE_POSTGRES_BIN:-}/initdb" ] || command -v initdb > /dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' > /dev/null
}

wanted=()
command -v chromium > /dev/null || wanted+=(chromium)
command -v spin > /dev/null || wanted+=(spin)
command -v gcc > /dev/null || wanted+=(gcc libc6-dev)
command -v tcc > /dev/null || wanted+=(tcc)
has_postgres || wanted+=(postgresql)
PATH=$PATH:/usr/sbin command -v pgbouncer > /dev/null || wanted+=(pgbouncer)
PATH=$PATH:/usr/sbin command -v mariadbd > /dev/null || wanted+=(mariadb-server)
PATH=$PATH:/usr/sbin command -v firebird > /dev/null || wanted+=(firebird3.0-server)
command -v ldapsearch > /dev/null || wanted+=(ldap-utils)
PATH=$PATH:/usr/sbin command -v slapd > /dev/null || wanted+=(slapd)
PATH=$PATH:/usr/sbin command -v rabbitmq-server > /dev/null || wanted+=(rabbitmq-server)
PATH=$PATH:/usr/sbin command -v dnsmasq > /dev/null || wanted+=(dnsmasq-base)
PATH=$PATH:/usr/sbin:/sbin command -v ip > /dev/null || wanted+=(iproute2)
command -v redis-server > /dev/null || wanted+=(redis-server)
PATH=$PATH:/usr/sbin command -v sshd > /dev/null || wanted+=(openssh-server)
{ grep -qi "PostgreSQL Unicode" /etc/odbcinst.ini && grep -qi "SQLite3" /etc/odbcinst.ini; } 2> /dev/null || wanted+=(odbc-postgresql libsqliteodbc unixodbc odbcinst)
command -v promtool > /dev/null || wanted+=(prometheus)
command -v wrk > /dev/null || wanted+=(wrk)
command -v tmux > /dev/null || wanted+=(tmux)
command -v qpdf > /dev/null || wanted+=(qpdf)
command -v pdftoppm > /dev/null || wanted+=(poppler-utils)
[ -e /usr/share/doc/shared-mime-info/shared-mime-info-spec.pdf ] || wanted+=(shared-mime-info)
[ -e /usr/share/doc/libtasn1-doc/libtasn1.pdf ] || wanted+=(libtasn1-doc)
{ command -v setpriv && command -v unshare; } > /dev/null || wanted+=(util-linux)

[ "${#wanted[@]}" -eq 0 ] && exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get > /dev/null; then
  echo "Not installed, because this is not root on Debian: ${wanted[*]}. The tests that need them are skipped."
  exit 1
fi

echo "== installing ${wanted[*]}"

# One installation at a time, also of other checkouts: the first to end allows services to start.
exec 9> /var/lock/poolhouse-install
flock 9
quiet=()
remove_quiet() {
  [ "${#quiet[@]}" -eq 0 ] || rm -f "${quiet[@]}"
}
trap remove_quiet EXIT

# Only during the installation, and never in place of an existing file, unless that is left over from an installation that was
# killed.
if [ ! -e /usr/sbin/policy-rc.d ] || grep -q '^# poolhouse$' /usr/sbin/policy-rc.d; then
  quiet+=(/usr/sbin/policy-rc.d)
  printf '#!/bin/sh\n# poolhouse\nexit 101\n' > /usr/sbin/policy-rc.d
  chmod +x /usr/sbin/policy-rc.d
fi
if ! has_postgres; then
  quiet+=(/etc/postgresql-common/createcluster.d/poolhouse.conf)
  mkdir -p /etc/postgresql-common/createcluster.d
  echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.d/poolhouse.conf
fi

if [[ " ${wanted[*]} " == *' slapd '* ]] && command -v debconf-set-selections > /dev/null; then
  echo 'slapd slapd/no_configuration boolean true' | debconf-set-selections
fi

export DEBIAN_FRONTEND=noninteractive

# Waits up to ten minutes while another process updates the lists. apt's own timeout covers only the locks of an installation.
update() {
  local errors tries
  for tries in $(seq 60); do
    errors=$(LC_ALL=C apt-get update -qq 2>&1) && return
    [[ $errors == *'get lock'* ]] || break
    sleep 10
  done
  return 1
}

{ update && apt-get install -y -qq -o DPkg::Lock::Timeout=600 --no-install-recommends "${wanted[@]}"; } > /dev/null 9>&- || {
  echo "apt-get could not install: ${wanted[*]}. The tests that need them are skipped."
  exit 1
}
