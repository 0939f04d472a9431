import { expect, spyOn, test } from 'bun:test'

test('a bundle whose build fails is built again at the next request', async () => {
  // A second instance of the module, because the shared one may have built its files already.
  const path = '../../../src/companions/pages/assets.ts?unbuilt'
  const { loadAssets }: typeof import('../../../src/companions/pages/assets.ts') = await import(
    path
  )
  const build = spyOn(Bun, 'build').mockRejectedValueOnce(new Error('no memory'))
  try {
    const first = loadAssets()
    expect(loadAssets()).toBe(first)
    await expect(first).rejects.toThrow('no memory')
    const assets = await loadAssets()
    expect(assets.get('site.js')?.bytes.length).toBeGreaterThan(1000)
    expect(loadAssets()).toBe(loadAssets())
  } finally {
    build.mockRestore()
  }
})
