using System.Globalization;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Storage;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>
/// Several contexts begin, join, commit, roll back, and continue in random order. The rule: each step gives what it gives with
/// the provider's own connections, and in the end the same rows are there (I1, I9).
/// </summary>
// What Entity Framework itself forbids or leaves undefined is not played: a context that joined is not used while the context
// that it joined has begun another transaction, because with a plain connection it would then be in that one; and it leaves the
// transaction that is over.
public sealed class RandomJoins(PostgresServer server)
{
    private const string SeedVariable = "POOLHOUSE_SEED";
    private const int Rounds = 8;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Contexts_that_join_continue_as_with_the_providers_connections(bool hasPooledContexts)
    {
        var seed = int.TryParse(
            Environment.GetEnvironmentVariable(SeedVariable), NumberStyles.Integer, CultureInfo.InvariantCulture, out var given)
                ? given
                : Random.Shared.Next();
        await using var database = await ShopDatabase.CreateAsync(server, maxSize: 6);
        await using var rival = await ShopDatabase.CreateAsync(server);
        var contexts = new PooledDbContextFactory<Shop>(database.Options(), poolSize: 4);
        var plain = rival.ProviderOptions();

        var theirs = await PlayAsync(seed, () => new Shop(plain));
        var ours = await PlayAsync(seed, () => hasPooledContexts ? contexts.CreateDbContext() : database.Open());

        for (var i = 0; i < theirs.Count; i++)
        {
            Assert.True(
                string.Equals(theirs[i], ours[i], StringComparison.Ordinal),
                $"{SeedVariable}={seed.ToString(CultureInfo.InvariantCulture)}: after " +
                $"{string.Join(", ", theirs.Take(i).TakeLast(12))}\nexpected {theirs[i]}\nbut was  {ours[i]}");
        }

        Assert.Equal(0, database.Leased);
    }

    private static async Task<IReadOnlyList<string>> PlayAsync(int seed, Func<Shop> open)
    {
        var game = new Game(new Random(seed), open);
        for (var round = 0; round < Rounds; round++)
        {
            await game.RoundAsync();
        }

        await using var shop = open();
        game.Log.AddRange(await shop.Orders.Select(order => order.Customer).Order().ToListAsync());
        return game.Log;
    }

    private sealed class Game(Random random, Func<Shop> open)
    {
        private int _orders;

        public List<string> Log { get; } = [];

        public async Task RoundAsync()
        {
            await using var first = open();
            await using var second = open();
            await using var third = open();
            var joined = new List<Shop>();
            if (Chance(2))
            {
                // An opening of its own around the transaction.
                await TryAsync("open", async () => await first.Database.OpenConnectionAsync());
            }

            await using (var transaction = await first.Database.BeginTransactionAsync())
            {
                foreach (var context in new[] { second, third })
                {
                    if (Chance(2))
                    {
                        joined.Add(context);
                        await TryAsync("join", async () =>
                        {
                            context.Database.SetDbConnection(first.Database.GetDbConnection());
                            await context.Database.UseTransactionAsync(transaction.GetDbTransaction());
                        });
                    }
                }

                for (var i = random.Next(6); i > 0; i--)
                {
                    await ActAsync(Pick(first, second, third));
                }

                await TryAsync("end", () => random.Next(3) switch
                {
                    0 => transaction.CommitAsync(),
                    1 => transaction.RollbackAsync(),
                    _ => transaction.DisposeAsync().AsTask(),
                });
            }

            foreach (var context in joined)
            {
                await TryAsync("leave", async () => await context.Database.UseTransactionAsync(null));
            }

            // Others are in a transaction of their own meanwhile, which takes back what it did and nothing else.
            await using var fourth = open();
            await using var others = await fourth.Database.BeginTransactionAsync();
            await ActAsync(fourth);
            for (var i = random.Next(6); i > 0; i--)
            {
                await ActAsync(joined.Count > 0 && Chance(2) ? joined[random.Next(joined.Count)] : Pick(first, second, third));
            }

            await ActAsync(fourth);
            await others.RollbackAsync();
        }

        private Shop Pick(params Shop[] contexts) => contexts[random.Next(contexts.Length)];

        private bool Chance(int of) => random.Next(of) != 0;

        private Task ActAsync(Shop context)
        {
            var customer = string.Create(CultureInfo.InvariantCulture, $"c{++_orders:D5}");
            switch (random.Next(6))
            {
                case 0:
                    return TryAsync("save", () =>
                    {
                        context.Add(new Order { Customer = customer });
                        return Task.FromResult(context.SaveChanges());
                    });
                case 1:
                    return TryAsync("save async", () =>
                    {
                        context.Add(new Order { Customer = customer });
                        return context.SaveChangesAsync();
                    });
                case 2:
                    return TryAsync("count", () => context.Orders.CountAsync());
                case 3:
                    return TryAsync(
                        "sql",
                        () => context.Database.ExecuteSqlAsync($"INSERT INTO \"Orders\" (\"Customer\") VALUES ({customer})"));
                case 4:
                    return TryAsync("own transaction", async () =>
                    {
                        var commits = Chance(2);
                        await using var own = await context.Database.BeginTransactionAsync();
                        context.Add(new Order { Customer = customer });
                        var saved = await context.SaveChangesAsync();
                        await (commits ? own.CommitAsync() : own.RollbackAsync());
                        return saved;
                    });
                default:
                    return TryAsync("open and close", async () =>
                    {
                        await context.Database.OpenConnectionAsync();
                        var count = await context.Orders.CountAsync();
                        await context.Database.CloseConnectionAsync();
                        return count;
                    });
            }
        }

        private Task TryAsync(string what, Func<Task> act) => TryAsync(what, async () =>
        {
            await act();
            return 0;
        });

        private async Task TryAsync(string what, Func<Task<int>> act)
        {
            try
            {
                var result = await act();
                Log.Add(string.Create(CultureInfo.InvariantCulture, $"{what}: {result}"));
            }
            catch (Exception failure)
            {
                Log.Add($"{what}: {failure.GetType().Name}");
            }
        }
    }
}
