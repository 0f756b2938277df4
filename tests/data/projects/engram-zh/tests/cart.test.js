import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeCart } from '../utils/cart-store.js'
import { formatPrice } from '../utils/price.js'

test('同一道菜数量相加', () => {
  const merged = mergeCart([{ dish: 'a', fen: 1800, count: 1, note: '' }], [{ dish: 'a', fen: 1800, count: 2, note: '少辣' }])
  assert.deepEqual(merged, [{ dish: 'a', fen: 1800, count: 3, note: '少辣' }])
})

test('金额显示到分', () => {
  assert.equal(formatPrice(1805), '¥18.05')
})
