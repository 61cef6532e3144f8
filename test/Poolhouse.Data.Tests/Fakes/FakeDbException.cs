using System.Data.Common;

namespace Poolhouse.Data.Tests.Fakes;

internal sealed class FakeDbException(string? state, Exception? inner = null) : DbException("It failed.", inner)
{
    public override string? SqlState { get; } = state;
}
