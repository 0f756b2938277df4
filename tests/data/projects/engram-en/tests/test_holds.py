def test_the_second_to_ask_is_second(client):
    first = client.post("/holds", json={"member": 1, "title": 7}).get_json()
    second = client.post("/holds", json={"member": 2, "title": 7}).get_json()
    assert (first["place"], second["place"]) == (1, 2)
