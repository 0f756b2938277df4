def test_a_member_without_an_address_is_refused(client):
    answer = client.post("/members", json={"name": "A. Reader", "email": ""})
    assert answer.status_code == 400


def test_a_loan_needs_a_copy(client):
    assert client.post("/loans", json={"member": 1}).status_code == 400
