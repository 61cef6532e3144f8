using System.Collections.Concurrent;
using System.Data.Common;
using Microsoft.Extensions.DependencyInjection;

namespace Poolhouse.Data.Extensions;

/// <summary>The budgets of a container: one for each name, so that the app is one member of it.</summary>
internal sealed class ServerBudgets
{
    private readonly ConcurrentDictionary<string, Lazy<ServerBudget>> _budgets = new(StringComparer.Ordinal);

    /// <summary>Sets the budget of a pool that shares a server, unless the app has set one.</summary>
    public static void Complete(
        IServiceProvider services, string pool, DbProviderFactory factory, string connectionString, DbPoolOptions options)
    {
        if (options.Pool.Budget is null && services.GetKeyedService<SharedServer>(pool) is { } shared)
        {
            options.Pool.Budget = services.GetRequiredService<ServerBudgets>()._budgets.GetOrAdd(
                shared.Budget,
                name => new Lazy<ServerBudget>(
                    () => ServerBudget.Join(factory, connectionString, name, shared.Places, options.Pool.TimeProvider))).Value;
        }
    }
}
