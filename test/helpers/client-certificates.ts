import { loadX509 } from '../../infra/keys/pki.ts';
import { certify, localCertificate, type Certified } from './certificates.ts';

export interface Client {
  what: string;
  leaf: Certified;
  above?: readonly Certified[];
  good: boolean;
}

export const authority = () => certify({ name: 'Vault clients', authority: true, to: 30 * 86_400 });

/** Valid and invalid client certificates, which TLS (OpenSSL) and `Client-Cert` (the service) must treat alike. */
export async function allClients(root: Certified): Promise<Client[]> {
  const { ExtendedKeyUsage, KeyUsageFlags, Extension } = await loadX509();
  const local = await localCertificate('vault-client-ca');
  const forEverythingElse = await localCertificate('ca');
  const impostor = await certify({ name: 'Vault clients', authority: true });
  const middle = await certify({ name: 'Middle', by: root, authority: true });
  const narrow = await certify({ name: 'Narrow', by: root, authority: { below: 0 } });
  const below = async (by: Certified) => certify({ name: 'Below', by, authority: true });
  const [belowMiddle, belowNarrow] = [await below(middle), await below(narrow)];
  const ended = await certify({ name: 'Ended', by: root, authority: true, from: -120, to: -60 });
  const ordinary = await certify({ name: 'Ordinary', by: root });
  const withoutSign = await certify({ name: 'No signer', by: root, authority: true, usage: KeyUsageFlags.cRLSign });
  const { serverAuth, clientAuth, codeSigning } = ExtendedKeyUsage;
  const forServers = await certify({ name: 'Servers', by: root, authority: true, purposes: [serverAuth] });
  const strange = new Extension('1.2.3.4.5', true, new Uint8Array([5, 0]));
  const known = new Extension('1.2.3.4.5', false, new Uint8Array([5, 0]));

  const good: [string, Certified, Certified[]?][] = [
    ['of the authority', await certify({ by: root })],
    ['of the second authority in the file', await certify({ by: local })],
    ['the local stack made', await localCertificate('vault-client')],
    ['without key usages', await certify({ by: root, usage: null })],
    ['for clients and servers', await certify({ by: root, purposes: [serverAuth, clientAuth] })],
    ['with an RSA key', await certify({ by: root, algorithm: 'RSASSA-PKCS1-v1_5' })],
    ['with an Ed25519 key', await certify({ by: root, algorithm: 'Ed25519' })],
    ['signed with SHA-384', await certify({ by: root, hash: 'SHA-384' })],
    ['with an extension that nobody knows', await certify({ by: root, extensions: [known] })],
    ['of an intermediate authority', await certify({ by: middle }), [middle]],
    ['of an intermediate authority that shows the root, too', await certify({ by: middle }), [middle, root]],
    ['of two intermediate authorities, in any order', await certify({ by: belowMiddle }), [middle, belowMiddle]],
    ['of an intermediate authority that may have none below it', await certify({ by: narrow }), [narrow]],
  ];
  const bad: [string, Certified, Certified[]?][] = [
    ['that has expired', await certify({ by: root, from: -120, to: -60 })],
    ['that is not valid yet', await certify({ by: root, from: 3_600 })],
    ['for servers', await certify({ by: root, purposes: [serverAuth] })],
    ['without a purpose', await certify({ by: root, purposes: null })],
    ['for any purpose', await certify({ by: root, purposes: ['2.5.29.37.0'] })],
    ['of the server itself', await localCertificate('server')],
    ['of the authority of the server', await certify({ by: forEverythingElse })],
    ['of the authority of the server, which it shows', await certify({ by: forEverythingElse }), [forEverythingElse]],
    ['by which the service reaches the bank', await localCertificate('bank-client')],
    ['for signing code', await certify({ by: root, purposes: [codeSigning] })],
    ['for encryption only', await certify({ by: root, usage: KeyUsageFlags.keyEncipherment })],
    ['that signed itself', await certify()],
    ['of another authority', await certify({ by: impostor })],
    ['of another authority that it shows', await certify({ by: impostor }), [impostor]],
    ['of another authority, showing the right one of the same name', await certify({ by: impostor }), [root]],
    ['of an intermediate authority that it does not show', await certify({ by: middle })],
    ['of an intermediate authority that has expired', await certify({ by: ended }), [ended]],
    ['of a client', await certify({ by: ordinary }), [ordinary]],
    ['of an authority that may not sign certificates', await certify({ by: withoutSign }), [withoutSign]],
    ['of an authority for servers', await certify({ by: forServers }), [forServers]],
    ['below an authority that may have none below it', await certify({ by: belowNarrow }), [belowNarrow, narrow]],
    ['below the local authority, which may have none', await certify({ by: await below(local) }), [await below(local)]],
    ['with a critical extension that nobody knows', await certify({ by: root, extensions: [strange] })],
    ['that is the authority', root],
  ];
  const named = (list: typeof good, isGood: boolean) =>
    list.map(([what, leaf, above = []]) => ({ what, leaf, above, good: isGood }));
  return [...named(good, true), ...named(bad, false)];
}
