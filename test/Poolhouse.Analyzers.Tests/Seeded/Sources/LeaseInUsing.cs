namespace Seeded;

internal sealed class Session : IDisposable
{
    public int State { get; set; }

    public Task<int> AskAsync(string question, CancellationToken cancellationToken) => Task.FromResult(question.Length + State);

    public void Send(string text) => State = text.Length;

    public void Dispose() => State = -1;
}

internal sealed class LeaseInUsing(ResourcePool<Session> sessions)
{
    private Session? _last;

    public async Task<int> AskAsync(string question, CancellationToken cancellationToken)
    {
        await using var lease = await sessions.RentAsync(cancellationToken);
        return await lease.Value.AskAsync(question, cancellationToken);
    }

    public void Send(string text)
    {
        using var lease = sessions.Rent();
        lease.Value.Send(text);
    }

    public bool HasLast => _last is not null;

    public void Forget() => _last = null;
}

// mutant PH1001: the lease is not disposed
// - await using var lease = await sessions.RentAsync(cancellationToken);
// + var lease = [|await sessions.RentAsync(cancellationToken)|];

// mutant PH1001: a synchronous lease is not disposed
// - using var lease = sessions.Rent();
// + var lease = [|sessions.Rent()|];

// mutant PH1001: the lease is thrown away
// - using var lease = sessions.Rent();
// - lease.Value.Send(text);
// + [|sessions.Rent()|].Value.Send(text);

// mutant PH1003: the item is kept in a field
// - lease.Value.Send(text);
// + [|_last = lease.Value|];
// + lease.Value.Send(text);

// mutant PH1004: the rent is not awaited
// - using var lease = sessions.Rent();
// - lease.Value.Send(text);
// + [|sessions.RentAsync()|];

// mutant PH1010: the task outlives the lease
// - public async Task<int> AskAsync(string question, CancellationToken cancellationToken)
// - {
// - await using var lease = await sessions.RentAsync(cancellationToken);
// - return await lease.Value.AskAsync(question, cancellationToken);
// + public Task<int> AskAsync(string question, CancellationToken cancellationToken)
// + {
// + using var lease = sessions.Rent(cancellationToken);
// + return [|lease.Value.AskAsync(question, cancellationToken)|];

// mutant PH1008: a lease that was never rented
// - using var lease = sessions.Rent();
// - lease.Value.Send(text);
// + var lease = default(Lease<Session>);
// + [|lease.Value|].Send(text);

// mutant PH1002: used after the explicit end
// - lease.Value.Send(text);
// + lease.Dispose();
// + [|lease.Value|].Send(text);
