import { generateKeyPairSync } from 'node:crypto'
import forge from 'node-forge'

/** A certificate and its key, in PEM. */
export interface Certified {
  readonly cert: string
  readonly key: string
}

interface CertificateOptions {
  /** Host names and IP addresses, or the name of a client. */
  readonly names?: readonly string[]
  /** Who signs it; default itself. */
  readonly by?: Certified
  readonly isAuthority?: boolean
}

const dayMs = 86_400_000
let serial = 0

/** Makes a certificate, valid for a day. */
export function certificate(
  name: string,
  { names = [], by, isAuthority = false }: CertificateOptions = {},
): Certified {
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const made = forge.pki.createCertificate()
  const subject = [{ name: 'commonName', value: name }]
  serial += 1
  made.serialNumber = `01${serial.toString(16).padStart(8, '0')}`
  made.publicKey = forge.pki.publicKeyFromPem(keys.publicKey)
  made.validity.notBefore = new Date(Date.now() - dayMs)
  made.validity.notAfter = new Date(Date.now() + dayMs)
  made.setSubject(subject)
  made.setIssuer(by ? forge.pki.certificateFromPem(by.cert).subject.attributes : subject)
  const altNames = names.map((one) =>
    /^[\d.]+$|:/.test(one) ? { type: 7, ip: one } : { type: 2, value: one },
  )
  made.setExtensions([
    { name: 'basicConstraints', cA: isAuthority, critical: true },
    ...(altNames.length === 0 ? [] : [{ name: 'subjectAltName', altNames }]),
  ])
  made.sign(forge.pki.privateKeyFromPem(by?.key ?? keys.privateKey), forge.md.sha256.create())
  return { cert: forge.pki.certificateToPem(made), key: keys.privateKey }
}
