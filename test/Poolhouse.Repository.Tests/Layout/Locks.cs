using System.Text.RegularExpressions;

namespace Poolhouse.Repository.Tests.Layout;

/// <summary>
/// What a thread does under a lock belongs to something that it has begun before: a lease has ended, a shard was created, a
/// transaction has completed. An interrupt at such a lock would lose an item, so it is a Gate, where an interrupt stays pending.
/// Only a change of settings may be interrupted: nothing has been changed by then.
/// </summary>
public sealed partial class Locks
{
    // The packages that hold items; the tool and the helpers for tests hold none.
    private static readonly string[] _exempt = ["Poolhouse.Analyzers", "Poolhouse.Testing", "Poolhouse.Tool"];

    private static readonly string[] _changes = ["_changing", "Changing", "_runtime.Changing"];

    [Fact]
    public void Only_changes_of_settings_can_be_interrupted_at_a_lock() => Problems.AssertNone(
        from file in RepositoryFiles.Files("*.cs", "src")
        let path = RepositoryFiles.Relative(file)
        where !Array.Exists(_exempt, project => path.StartsWith($"src/{project}/", StringComparison.Ordinal))
        from Match taken in Statement().Matches(File.ReadAllText(file))
        where !_changes.Contains(taken.Groups["what"].Value)
        select $"{path}: {taken.Value.Trim()}");

    [GeneratedRegex(@"^ *lock \((?<what>[^)]*)\)", RegexOptions.ExplicitCapture | RegexOptions.Multiline, 10_000)]
    private static partial Regex Statement();
}
