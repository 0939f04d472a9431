/** Preload that makes any computation of ratings throw. */
Bun.plugin({
  name: 'ratings forbidden',
  setup: ({ onLoad }) => {
    onLoad({ filter: /src\/derived\/ratings\/filter\.ts$/ }, async ({ path }) => ({
      loader: 'ts',
      contents: (await Bun.file(path).text()).replace(
        /(export const createFilter = [^\n]*\{\n)/,
        "$1  throw new Error('ratings are computed')\n",
      ),
    }))
  },
})
