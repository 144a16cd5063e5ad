#!/bin/sh
# Creates a CA and the certificates for TLS between the processes of compose.yaml, in the given folder. Deletes the CA's key, so
# that nobody can issue more certificates. For new certificates, run this script again and restart everything in compose.yaml.
set -eu
cd "$1"
umask 077
days=825
key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc'

openssl req -x509 $key -days $days -keyout inside-ca.key -out inside-ca.crt -subj '/O=Ringfence/CN=Inside' \
  -addext 'basicConstraints=critical,CA:TRUE,pathlen:0' -addext 'keyUsage=critical,keyCertSign,cRLSign' 2>/dev/null

# issue NAME PURPOSES EXTENSION...
issue() {
  name=$1 purposes=$2
  shift 2
  openssl req -x509 $key -days $days -keyout "$name.key" -out "$name.crt" -subj "/O=Ringfence/CN=$name" \
    -CA inside-ca.crt -CAkey inside-ca.key -addext 'basicConstraints=critical,CA:FALSE' \
    -addext 'keyUsage=critical,digitalSignature' -addext "extendedKeyUsage=$purposes" "$@" 2>/dev/null
}
issue postgres serverAuth -addext 'subjectAltName=DNS:postgres,DNS:localhost'
# Temporal's own services also use this certificate to connect to each other.
issue temporal serverAuth,clientAuth -addext 'subjectAltName=DNS:temporal,DNS:localhost'
issue temporal-client clientAuth
rm inside-ca.key
chmod 644 inside-ca.crt postgres.crt temporal.crt temporal-client.crt
