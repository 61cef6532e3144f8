using System.Globalization;
using StackExchange.Redis;

namespace Poolhouse.Samples.Recipes;

/// <summary>
/// A quota that processes share through Redis, for servers that do not count themselves: an HTTP service, a directory.
/// </summary>
// Each member writes what it may hold, and renews that five times a second. A transaction keeps the sum of these grants within
// the quota. A grant that is not renewed expires, although nothing ends the connections of its member (there is no fence): after
// a pause longer than a lease, the quota can be exceeded until the member has noticed.
internal sealed class RedisQuota(IDatabase redis, string name, int places) : PoolBudget
{
    private static readonly TimeSpan _lease = TimeSpan.FromSeconds(3);

    private readonly string _member = Guid.NewGuid().ToString("N");
    private readonly string _version = $"{name}:version";
    private int _limit;
    private int _isRenewing;
    private long _renewedAt;

    public override int Limit => Volatile.Read(ref _limit);

    // Without a lease, others may have been granted the same places.
    protected override bool TryBegin() =>
        TimeProvider.System.GetElapsedTime(Volatile.Read(ref _renewedAt)) < _lease;

    protected override void Report(BudgetDemand demand)
    {
        if (Interlocked.Exchange(ref _isRenewing, 1) == 0)
        {
            _ = RenewAsync(demand);
        }
    }

    private async Task RenewAsync(BudgetDemand demand)
    {
        try
        {
            var began = TimeProvider.System.GetTimestamp();
            if (await TryRenewAsync(demand))
            {
                Volatile.Write(ref _renewedAt, began);
            }
        }
        catch (RedisException)
        {
            // The next report tries again; what is held is kept.
        }
        finally
        {
            Volatile.Write(ref _isRenewing, 0);
        }

        OnLimitChanged();
    }

    private async Task<bool> TryRenewAsync(BudgetDemand demand)
    {
        var version = await redis.StringGetAsync(_version);
        var now = TimeProvider.System.GetUtcNow();
        var others = (await redis.HashGetAllAsync(name))
            .Select(entry => (Name: entry.Name.ToString(), Claim: Claim.Parse(entry.Value.ToString())))
            .Where(each => !IsOwn(each.Name) && each.Claim.Until > now)
            .ToList();
        var members = others.Append((Name: _member, Claim: new Claim(Limit, demand.Wanted, now)))
            .OrderBy(each => each.Name, StringComparer.Ordinal)
            .ToList();
        var free = places - members.Sum(each => each.Claim.Granted);
        var shares = Share(free, [.. members.Select(each => (each.Claim.Granted, each.Claim.Wanted))]);

        // Less only when the pools hold less: until then, no one else may have the places.
        var limit = Math.Min(demand.Maximum, shares[members.FindIndex(each => IsOwn(each.Name))]);
        var granted = Math.Max(limit, demand.Live);
        var transaction = redis.CreateTransaction();
        transaction.AddCondition(Condition.StringEqual(_version, version));
        _ = transaction.HashSetAsync(name, _member, new Claim(granted, demand.Wanted, now + _lease).ToString());
        _ = transaction.StringIncrementAsync(_version);
        if (!await transaction.ExecuteAsync())
        {
            return false;
        }

        Volatile.Write(ref _limit, limit);
        return true;
    }

    private bool IsOwn(string member) => string.Equals(member, _member, StringComparison.Ordinal);

    private sealed record Claim(int Granted, int Wanted, DateTimeOffset Until)
    {
        public static Claim Parse(string text) => text.Split(' ') switch
        {
            [var granted, var wanted, var until] => new Claim(
                int.Parse(granted, CultureInfo.InvariantCulture), int.Parse(wanted, CultureInfo.InvariantCulture),
                DateTimeOffset.FromUnixTimeMilliseconds(long.Parse(until, CultureInfo.InvariantCulture))),
            _ => new Claim(0, 0, DateTimeOffset.MinValue),
        };

        public override string ToString() =>
            string.Create(CultureInfo.InvariantCulture, $"{Granted} {Wanted} {Until.ToUnixTimeMilliseconds()}");
    }
}
