namespace Seeded;

internal sealed class RentAsyncTwice(ResourcePool<MemoryStream> pool)
{
    public async Task<long> LengthAsync()
    {
        var rent = pool.RentAsync();
        await using var lease = await rent;
        return lease.Value.Length;
    }

    public async Task ClearAsync(CancellationToken cancellationToken)
    {
        var lease = await pool.RentAsync(TimeSpan.FromSeconds(1), cancellationToken);
        try
        {
            await lease.Value.FlushAsync(cancellationToken);
        }
        catch
        {
            lease.Taint();
            throw;
        }
        finally
        {
            await lease.DisposeAsync();
        }
    }
}

// mutant PH1004: the value task is awaited twice
// - return lease.Value.Length;
// + await using var second = [|await rent|];
// + return lease.Value.Length;

// mutant PH1001: the lease is never ended
// - var lease = await pool.RentAsync(TimeSpan.FromSeconds(1), cancellationToken);
// + var lease = [|await pool.RentAsync(TimeSpan.FromSeconds(1), cancellationToken)|];
// - await lease.DisposeAsync();
// + Console.WriteLine("done");

// mutant PH1002: flushed after the end
// - await lease.DisposeAsync();
// + await lease.DisposeAsync();
// + await [|lease.Value|].FlushAsync(cancellationToken);

// mutant PH1004: the rent is stored and never awaited
// - var rent = pool.RentAsync();
// - await using var lease = await rent;
// - return lease.Value.Length;
// + var rent = [|pool.RentAsync()|];
// + await Task.Yield();
// + return 0;
