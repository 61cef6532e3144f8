using System.Data.Common;

namespace Poolhouse.Data.Tests.Fakes;

#pragma warning disable CA1032 // Created by tests only.
internal sealed class FakeDbException(string? state, Exception? inner = null) : DbException("It failed.", inner)
#pragma warning restore CA1032
{
    public override string? SqlState { get; } = state;
}
