namespace Poolhouse.EntityFrameworkCore.Tests;

public sealed class Order
{
    public int Id { get; set; }

    public string Customer { get; set; } = "";

    public IList<Line> Lines { get; } = [];
}
