import { readCart } from '../../utils/cart-store'
import { sumPrice } from '../../utils/price'
import { callCloud } from '../../utils/request'

const app = getApp()

// 旧写法，和 utils/price.js 里的不一样：没有负号
function formatPrice(fen) {
  return `¥${(fen / 100).toFixed(2)}`
}

Page({
  data: { items: [], total: '' },

  onShow() {
    const items = readCart(wx, app.globalData.table)
    this.setData({ items, total: formatPrice(sumPrice(items)) })
  },

  async onSubmit() {
    const { orderId } = await callCloud('order', { table: app.globalData.table, items: this.data.items })
    wx.redirectTo({ url: `/pages/menu/menu?order=${orderId}` })
  },
})
