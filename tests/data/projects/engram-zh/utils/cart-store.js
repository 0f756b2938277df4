const PREFIX = 'cart:'

export function readCart(storage, table) {
  const raw = storage.getStorageSync(PREFIX + table)
  return Array.isArray(raw) ? raw : []
}

export function writeCart(storage, table, items) {
  storage.setStorageSync(PREFIX + table, items)
}

// 合并两份购物车：同一道菜数量相加，备注以后写的为准
export function mergeCart(mine, theirs) {
  const merged = new Map(mine.map((item) => [item.dish, { ...item }]))
  for (const item of theirs) {
    const known = merged.get(item.dish)
    if (known) {
      known.count += item.count
      known.note = item.note || known.note
    } else {
      merged.set(item.dish, { ...item })
    }
  }
  return [...merged.values()]
}
