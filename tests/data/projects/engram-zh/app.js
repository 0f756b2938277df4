App({
  globalData: { table: '', openid: '' },

  onLaunch(options) {
    wx.cloud.init({ traceUser: false })
    this.globalData.table = options.query.table || ''
  },

  // 换桌：桌号变了，购物车的键也要跟着变
  onShow(options) {
    const table = options.query.table
    if (table && table !== this.globalData.table) {
      this.globalData.table = table
    }
  },
})
