using System.Buffers;

namespace Poolhouse.Repository.Tests.Layout;

/// <summary>Names of files need no quotation in a shell: tools skip the others, or fail.</summary>
public sealed class FileNames
{
    private static readonly SearchValues<char> _special = SearchValues.Create("{}<>` ");

    [Fact]
    public void Files_have_no_braces_or_spaces_in_their_names() => Problems.AssertNone(
        from file in RepositoryFiles.Files("*")
        let path = RepositoryFiles.Relative(file)
        where path.AsSpan().ContainsAny(_special)
        select path);
}
