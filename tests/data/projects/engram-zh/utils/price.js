// 金额以分为单位，整数
export function formatPrice(fen) {
  const sign = fen < 0 ? '-' : ''
  const abs = Math.abs(fen)
  return `${sign}¥${Math.floor(abs / 100)}.${String(abs % 100).padStart(2, '0')}`
}

export function sumPrice(items) {
  return items.reduce((sum, item) => sum + item.fen * item.count, 0)
}
