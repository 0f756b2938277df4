import { formatPrice } from '../../utils/price'
import { readCart, writeCart } from '../../utils/cart-store'
import { callCloud } from '../../utils/request'

const app = getApp()

Page({
  data: { dishes: [], count: 0 },

  async onLoad() {
    const dishes = await callCloud('menu', { table: app.globalData.table })
    this.setData({ dishes: dishes.map((dish) => ({ ...dish, price: formatPrice(dish.fen) })) })
  },

  onPick(event) {
    const { dish, fen } = event.currentTarget.dataset
    const cart = readCart(wx, app.globalData.table)
    const known = cart.find((item) => item.dish === dish)
    if (known) {
      known.count += 1
    } else {
      cart.push({ dish, fen, count: 1, note: '' })
    }
    writeCart(wx, app.globalData.table, cart)
    this.setData({ count: cart.length })
  },
})
