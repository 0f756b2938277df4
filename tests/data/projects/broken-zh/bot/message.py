"""发到群里的话。"""


def compose(people, day):
    if not people:
        return f"{day:%m月%d日} 没有人可以值日，请班长安排。"
    names = "、".join(person.name for person in people)
    return f"{day:%m月%d日} 值日：{names}。最后走的人锁门。"
