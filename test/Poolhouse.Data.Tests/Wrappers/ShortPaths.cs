using System.Data.Common;
using System.Diagnostics;
using Poolhouse.Data.Tests.Fakes;

namespace Poolhouse.Data.Tests.Wrappers;

/// <summary>
/// A stranger can follow an Open: on an idle connection it passes at most eight types of the package, and the pool's check of
/// the state is at most two calls.
/// </summary>
// Taken from the stacks on which the provider is asked for its state and on which the event of the state is raised. Calls that
// the JIT has inlined are not on a stack; the first openings run before it inlines anything.
public sealed class ShortPaths
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Opening_an_idle_connection_passes_few_types(bool asynchronous)
    {
        var (types, _) = await TraceAsync(asynchronous);

        Assert.Contains(nameof(PooledConnection), types);
        Assert.InRange(types.Count, 1, 8);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_pools_check_of_the_state_is_at_most_two_calls(bool asynchronous)
    {
        var (_, checks) = await TraceAsync(asynchronous);

        Assert.NotEmpty(checks);
        Assert.All(checks, calls => Assert.InRange(calls, 1, 2));
    }

    /// <summary>
    /// The types of the package on the way of an Open, and for each check by the pool the calls between pool and provider.
    /// </summary>
    private static async Task<(HashSet<string> Types, List<int> Checks)> TraceAsync(bool asynchronous)
    {
        var types = new HashSet<string>(StringComparer.Ordinal);
        var checks = new List<int>();
        var db = new FakeDb();
        await using var source = PooledDataSource.Create(db, FakeDb.OneConnection());
        await (await source.OpenConnectionAsync(TestContext.Current.CancellationToken)).DisposeAsync();
        await using var connection = source.CreateConnection();
        connection.StateChange += (_, _) => Note();
        Assert.Single(db.Connections).OnStateRead = Note;
        await OpenAsync(connection, asynchronous);
        Assert.Single(db.Connections).OnStateRead = null;
        return (types, checks);

        void Note()
        {
            var frames = new StackTrace().GetFrames()
                .Select(frame => DiagnosticMethodInfo.Create(frame))
                .OfType<DiagnosticMethodInfo>()
                .Select(method => (Assembly: method.DeclaringAssemblyName.Split(',')[0], Type: method.DeclaringTypeName ?? ""))
                .SkipWhile(frame => !IsPackage(frame.Assembly) && !IsCore(frame.Assembly))
                .TakeWhile(frame => IsPackage(frame.Assembly) || IsCore(frame.Assembly))
                .ToList();
            types.UnionWith(frames.Where(frame => IsPackage(frame.Assembly)).Select(frame => NameOf(frame.Type)));
            var calls = frames.TakeWhile(frame => IsPackage(frame.Assembly)).Count();
            if (calls < frames.Count)
            {
                checks.Add(calls);
            }
        }
    }

    private static Task OpenAsync(DbConnection connection, bool asynchronous)
    {
        if (asynchronous)
        {
            return connection.OpenAsync(TestContext.Current.CancellationToken);
        }

        connection.Open();
        return Task.CompletedTask;
    }

    private static bool IsPackage(string assembly) => string.Equals(assembly, "Poolhouse.Data", StringComparison.Ordinal);

    private static bool IsCore(string assembly) => string.Equals(assembly, "Poolhouse", StringComparison.Ordinal);

    // Nested types, such as the state machines of asynchronous methods, belong to the type that contains them.
    private static string NameOf(string type) => type.Split('.')[^1].Split('+', '`')[0];
}
