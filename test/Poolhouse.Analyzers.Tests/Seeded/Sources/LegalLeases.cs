namespace Seeded;

internal sealed class Client : IAsyncDisposable
{
    public string Name { get; set; } = "";

    public Task<int> AskAsync(int question) => Task.FromResult(question);

    public int Ask(int question) => question;

    public ValueTask DisposeAsync() => default;
}

// Legal but unusual: no finding at the level of a warning is allowed in this file.
internal sealed class LegalLeases(ResourcePool<Client> clients, TieredObjectPool<StringBuilder> builders) : IDisposable
{
    private readonly List<Lease<Client>> _held = [];
    private Lease<StringBuilder> _builder;

    public async Task InALoopAsync(int[] questions, CancellationToken cancellationToken)
    {
        foreach (var question in questions)
        {
            await using var lease = await clients.RentAsync(cancellationToken);
            await lease.Value.AskAsync(question);
        }
    }

    public void KeepInAField() => _builder = builders.Rent();

    public void KeepALocalInAField()
    {
        var lease = builders.Rent();
        lease.Value.Append('x');
        _builder = lease;
    }

    public async Task KeepInAListAsync()
    {
        var lease = await clients.RentAsync();
        _held.Add(lease);
    }

    public ValueTask<Lease<Client>> PassOnAsync() => clients.RentAsync();

    public async Task<Lease<Client>> PassOnAfterAWaitAsync()
    {
        var lease = await clients.RentAsync();
        await lease.Value.AskAsync(1);
        return lease;
    }

    public Lease<Client> PassOnOrEnd(bool pass)
    {
        var lease = clients.Rent();
        if (pass)
        {
            return lease;
        }

        lease.Dispose();
        return default;
    }

    public bool TryAsk(int question, out int answer)
    {
        answer = 0;
        if (!clients.TryRent(out var lease))
        {
            return false;
        }

        using (lease)
        {
            answer = lease.Value.Ask(question);
        }

        return true;
    }

    public async Task<Client> DetachAsync()
    {
        var lease = await clients.RentAsync();
        return lease.Detach();
    }

    public string UseADetachedItem()
    {
        var lease = builders.Rent();
        var builder = lease.Value;
        lease.Detach();
        return builder.Append('x').ToString();
    }

    public async Task DiscardOnFailureAsync()
    {
        await using var lease = await clients.RentAsync();
        try
        {
            await lease.Value.AskAsync(1);
        }
        catch (IOException)
        {
            lease.Discard();
            throw;
        }
    }

    public void EndedTwice()
    {
        using var lease = builders.Rent();
        lease.Value.Append('x');
        lease.Dispose();
    }

    public string ThroughACopy()
    {
        var lease = builders.Rent();
        var copy = lease;
        using (copy)
        {
            return lease.Value.Append('x').ToString();
        }
    }

    public bool IsActiveAfterItsEnd()
    {
        var lease = builders.Rent();
        lease.Dispose();
        return lease.IsActive;
    }

    public async Task<int> AwaitedInsideAsync()
    {
        using var lease = clients.Rent();
        var task = lease.Value.AskAsync(1);
        return await task.ConfigureAwait(false);
    }

    public string ValueOfTheItemEscapes()
    {
        using var lease = clients.Rent();
        return lease.Value.Name;
    }

    public async Task<int> RentedInParallelAsync()
    {
        var first = clients.RentAsync().AsTask();
        var second = clients.RentAsync().AsTask();
        await Task.WhenAll(first, second);
        await using var one = await first;
        await using var two = await second;
        return one.Value.Ask(1) + two.Value.Ask(2);
    }

    public async Task<int> WithATimeoutOfItsOwnAsync()
    {
        var rent = clients.RentAsync();
        await using var lease = rent.IsCompletedSuccessfully ? rent.Result : await rent;
        return lease.Value.Ask(1);
    }

    public void EndedByALocalFunction()
    {
        var lease = builders.Rent();
        lease.Value.Append('x');
        End();

        void End() => lease.Dispose();
    }

    public void EndedByAnotherMethod()
    {
        var lease = builders.Rent();
        lease.Value.Append('x');
        End(lease);
    }

    public void ConditionalRent(bool wanted)
    {
        Lease<StringBuilder> lease = default;
        try
        {
            if (wanted)
            {
                lease = builders.Rent();
                lease.Value.Append('x');
            }
        }
        finally
        {
            lease.Dispose();
        }
    }

    public async IAsyncEnumerable<int> StreamAsync(int count)
    {
        await using var lease = await clients.RentAsync();
        for (var i = 0; i < count; i++)
        {
            yield return await lease.Value.AskAsync(i);
        }
    }

    public int WithADelegateInside()
    {
        using var lease = clients.Rent();
        var client = lease.Value;
        return Enumerable.Range(0, 3).Select(client.Ask).Sum();
    }

    public void Dispose()
    {
        _builder.Dispose();
        _held.ForEach(lease => lease.Dispose());
    }

    private static void End(Lease<StringBuilder> lease) => lease.Dispose();
}
