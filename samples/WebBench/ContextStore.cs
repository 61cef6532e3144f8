using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;

namespace Poolhouse.Samples.WebBench;

/// <summary>The queries with Entity Framework Core, on pooled contexts.</summary>
/// <param name="options">With or without <c>UsePoolhouse</c>.</param>
/// <param name="owned">What to dispose in the end, in this order.</param>
internal sealed class ContextStore(DbContextOptions<WorldContext> options, params IAsyncDisposable[] owned) : IWorldStore
{
    // Of each store its own: a compiled query belongs to one model, and stores with other options have another.
    private readonly Func<WorldContext, int, Task<World>> _find =
        EF.CompileAsyncQuery((WorldContext context, int id) => context.World.AsNoTracking().First(world => world.Id == id));

    private readonly PooledDbContextFactory<WorldContext> _contexts = new(options);

    public async Task<World> ReadAsync(CancellationToken cancellationToken)
    {
        await using var context = await _contexts.CreateDbContextAsync(cancellationToken);
        return await _find(context, World.AnyId());
    }

    public async Task<World[]> ReadAsync(int count, CancellationToken cancellationToken)
    {
        await using var context = await _contexts.CreateDbContextAsync(cancellationToken);
        await context.Database.OpenConnectionAsync(cancellationToken);
        var worlds = new World[count];
        for (var i = 0; i < count; i++)
        {
            worlds[i] = await _find(context, World.AnyId());
        }

        return worlds;
    }

    public async Task<List<Fortune>> ReadFortunesAsync(CancellationToken cancellationToken)
    {
        await using var context = await _contexts.CreateDbContextAsync(cancellationToken);
        return await context.Fortune.AsNoTracking().ToListAsync(cancellationToken);
    }

    public async Task<World[]> UpdateAsync(int count, CancellationToken cancellationToken)
    {
        await using var context = await _contexts.CreateDbContextAsync(cancellationToken);
        await context.Database.OpenConnectionAsync(cancellationToken);

        // Ascending: two requests that update the same rows must not wait for each other.
        int[] ids = [.. Enumerable.Range(0, count).Select(_ => World.AnyId()).Distinct().Order()];
        var worlds = new World[ids.Length];
        for (var i = 0; i < ids.Length; i++)
        {
            var id = ids[i];
            worlds[i] = await context.World.AsTracking().FirstAsync(world => world.Id == id, cancellationToken);
            worlds[i].RandomNumber = World.AnyId();
        }

        await context.SaveChangesAsync(cancellationToken);
        return worlds;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var each in owned)
        {
            await each.DisposeAsync();
        }
    }
}
