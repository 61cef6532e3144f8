using System.Reflection;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Poolhouse.Data;
using Poolhouse.EntityFrameworkCore;
using Poolhouse.Extensions;
using Poolhouse.Http;
using Poolhouse.Ldap;
using Poolhouse.Servers;
using Poolhouse.Testing;
using Poolhouse.Workers;

namespace Poolhouse.Repository.Tests.PublicApi;

/// <summary>Each package's public surface is reviewed as a text file.</summary>
// Not Microsoft.CodeAnalysis.PublicApiAnalyzers (5.6.0, tried): it also records nullable references, but not that a type is
// sealed or abstract, nor its base type, interfaces and constraints, whose change breaks callers too; and a record is a dozen
// lines there.
public sealed class PublicSurface
{
    private const string AcceptVariable = "POOLHOUSE_ACCEPT_API";

    public static TheoryData<string> Packages =>
    [
        NameOf<IPool>(), NameOf<PooledDataSource>(), typeof(PoolhouseDbContextOptionsExtensions).Assembly.GetName().Name!,
        NameOf<Bulkhead>(), NameOf<LdapConnectionPool>(),
        NameOf<ManualTimeProvider>(), NameOf<IPools>(), typeof(PoolhouseDataServiceCollectionExtensions).Assembly.GetName().Name!,
        typeof(PoolhouseHttpClientBuilderExtensions).Assembly.GetName().Name!,
        typeof(PoolhouseEndpointRouteBuilderExtensions).Assembly.GetName().Name!,
        typeof(PoolhouseLdapServiceCollectionExtensions).Assembly.GetName().Name!, "Poolhouse.OpenTelemetry",
        NameOf<WorkerPoolOptions>(), NameOf<ServerSetOptions>(),
    ];

    [Theory]
    [MemberData(nameof(Packages))]
    public void The_public_surface_matches_the_snapshot(string package)
    {
        var snapshot = RepositoryFiles.PathOf("test", "Poolhouse.Repository.Tests", "PublicApi", package + ".txt");
        var surface = ApiWriter.Write(Assembly.Load(package));
        if (string.Equals(Environment.GetEnvironmentVariable(AcceptVariable), "1", StringComparison.Ordinal))
        {
            File.WriteAllText(snapshot, surface);
        }

        var accepted = File.Exists(snapshot) ? File.ReadAllText(snapshot).ReplaceLineEndings("\n") : "";
        Assert.True(
            string.Equals(surface, accepted, StringComparison.Ordinal),
            $"""
            The public surface of {package} changed:
            {Difference(accepted, surface)}
            If that is meant, run the tests once with {AcceptVariable}=1 and commit {RepositoryFiles.Relative(snapshot)}.
            """);
    }

    [Fact]
    public void Every_packable_project_has_a_snapshot()
    {
        var snapshots = RepositoryFiles.Files("*.txt", "test", "Poolhouse.Repository.Tests", "PublicApi");
        var libraries = RepositoryFiles.Files("*.csproj", "src").Where(project => !HasNoSurface(project));

        Assert.Equal(
            libraries.Select(Path.GetFileNameWithoutExtension).Order(StringComparer.Ordinal),
            snapshots.Select(Path.GetFileNameWithoutExtension).Order(StringComparer.Ordinal));
    }

    private static string NameOf<T>() => typeof(T).Assembly.GetName().Name!;

    // A program has commands, not a surface, and nobody references an analyzer's types.
    private static bool HasNoSurface(string project) =>
        File.ReadAllText(project) is var text
        && (text.Contains("<OutputType>Exe</OutputType>", StringComparison.Ordinal)
            || text.Contains("<IsPackable>false</IsPackable>", StringComparison.Ordinal));

    private static string Difference(string before, string after)
    {
        var old = MembersWithTypes(before);
        var now = MembersWithTypes(after);
        return string.Join(
            '\n',
            old.Except(now, StringComparer.Ordinal).Select(line => "- " + line)
                .Concat(now.Except(old, StringComparer.Ordinal).Select(line => "+ " + line))
                .DefaultIfEmpty("only the order of lines differs"));
    }

    private static List<string> MembersWithTypes(string surface)
    {
        var lines = new List<string>();
        var type = "";
        foreach (var line in surface.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            type = line.StartsWith(' ') ? type : line;
            lines.Add(line.StartsWith(' ') ? $"{type} {{ {line.Trim()} }}" : line);
        }

        return lines;
    }
}
