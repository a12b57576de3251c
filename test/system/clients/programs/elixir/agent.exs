{:ok, agent} = Agent.start_link(fn -> %{} end)
Agent.get(agent, fn state -> Map.fetch!(state, :till) end)
