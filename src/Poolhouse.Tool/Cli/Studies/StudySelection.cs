using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Bench.Ldap;
using Poolhouse.Tool.Bench.Web;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Cli.Studies;

/// <summary>The studies of a run, and those that are skipped because a server is missing.</summary>
/// <param name="Studies">In the order in which they run.</param>
/// <param name="Skipped">The skipped studies, each with the reason.</param>
internal sealed record StudySelection(IReadOnlyList<Study> Studies, IReadOnlyList<string> Skipped)
{
    /// <summary>The databases that the studies need.</summary>
    public IReadOnlyList<DatabaseKind> Databases =>
        [.. Studies.Select(study => study.Needs).OfType<DatabaseKind>().Distinct().Order()];

    /// <param name="choices">The request: groups and studies, or all.</param>
    /// <param name="hasServer">Whether the user named a database server.</param>
    /// <param name="hasDirectory">Whether the user named an LDAP server.</param>
    /// <param name="provider">The only database whose studies are selected; null: SQLite and PostgreSQL.</param>
    /// <remarks>
    /// "Everything" selects the quick studies that need no server; the database group selects the available databases.
    /// </remarks>
    public static StudySelection Of(
        IReadOnlyList<string> choices, bool hasServer, bool hasDirectory = false, DatabaseKind? provider = null)
    {
        // Each group has its own condition; the order of the catalog stays.
        var parts = choices.Select(choice => OfOne(choice, hasServer, hasDirectory, provider)).ToList();
        var chosen = parts.SelectMany(part => part.Studies).ToHashSet();
        return new StudySelection(
            [.. Catalog.All.Where(chosen.Contains)], [.. parts.SelectMany(part => part.Skipped).Distinct()]);
    }

    private static StudySelection OfOne(string choice, bool hasServer, bool hasDirectory, DatabaseKind? provider)
    {
        IReadOnlyList<Study> studies =
        [
            .. Catalog.Select(choice).Where(study => provider is { } only
                ? study.Needs == only
                : study.Needs is null or DatabaseKind.Sqlite or DatabaseKind.PostgreSql || study.Id == choice),
        ];
        if (studies.All(study => study.Group == Catalog.LdapGroup))
        {
            return OfLdap(studies, LdapLibrary.TryFind(out var missing) ? null : missing, hasDirectory);
        }

        if (studies.All(study => study.Group == Catalog.WebGroup)
            && (hasServer ? "it creates tables, so it uses only a server of its own" : Wrk.Missing) is { } reasonNot)
        {
            return Without(studies, _ => true, reasonNot);
        }

        if (hasServer)
        {
            return Without(
                studies, study => study.StopsServer,
                "the server that --postgres names was not started by this run and is not stopped");
        }

        if (choice == Catalog.Everything)
        {
            return new StudySelection([.. studies.Where(study => study.Needs != DatabaseKind.PostgreSql)], []);
        }

        return TemporaryPostgres.TryFind(out var reason)
            ? new StudySelection(studies, [])
            : Without(
                studies,
                study => study.Needs == DatabaseKind.PostgreSql,
                $"no server can be started here ({reason}); specify one with --postgres");
    }

    /// <param name="studies">The requested LDAP studies.</param>
    /// <param name="missing">Why there is no LDAP client; null: there is one.</param>
    /// <param name="hasDirectory">Whether the user named an LDAP server.</param>
    public static StudySelection OfLdap(IReadOnlyList<Study> studies, string? missing, bool hasDirectory)
    {
        return missing is not null
            ? Without(studies, _ => true, missing)
            : Without(
                studies,
                study => hasDirectory && study.StopsServer,
                "the server that --server names was not started by this run and is not stopped");
    }

    private static StudySelection Without(IReadOnlyList<Study> studies, Predicate<Study> leaveOut, string reason) => new(
        [.. studies.Where(study => !leaveOut(study))],
        [.. studies.Where(study => leaveOut(study)).Select(study => $"{study.Id} is skipped: {reason}.")]);
}
