const RETRIES = 2

// 调云函数，超时重试两次，仍失败则抛出最后一次的错误
export async function callCloud(name, data) {
  let last
  for (let i = 0; i <= RETRIES; i += 1) {
    try {
      const answer = await wx.cloud.callFunction({ name, data })
      return answer.result
    } catch (error) {
      last = error
    }
  }
  throw last
}
