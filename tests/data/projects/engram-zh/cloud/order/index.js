const cloud = require('wx-server-sdk')

cloud.init()
const db = cloud.database()

exports.main = async ({ table, items }) => {
  if (!table || items.length === 0) return { error: '空单' }
  const total = items.reduce((sum, item) => sum + item.fen * item.count, 0)
  const { _id } = await db.collection('orders').add({ data: { table, items, total, createdAt: db.serverDate() } })
  return { orderId: _id }
}
