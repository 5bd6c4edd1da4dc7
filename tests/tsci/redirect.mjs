// Every request that would leave the machine goes to the registry of the tests instead, as
// `$TSCI_REGISTRY/<host><path>`.  Bun loads this before tsci.
const registry = process.env.TSCI_REGISTRY
const here = new Set(["127.0.0.1", "localhost"])
const plain = globalThis.fetch

const toRegistry = (target, options) => {
  const request = new Request(target, options)
  const url = new URL(request.url)
  if (here.has(url.hostname) || !url.protocol.startsWith("http")) return plain(request)
  return plain(new Request(`${registry}/${url.host}${url.pathname}${url.search}`, request))
}

globalThis.fetch = Object.assign(toRegistry, plain)
