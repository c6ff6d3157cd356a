// Renders a chart as `helm template` does, with the template engine and the functions that Helm is made of: text/template and
// sprig. Usage: go run main.go <chart folder> <values file>. The release is called sluice, in the namespace default.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

func main() {
	if err := render(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(file string) (map[string]interface{}, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	content := map[string]interface{}{}
	return content, yaml.Unmarshal(text, &content)
}

// Maps are merged, everything else is replaced, as Helm does with values.
func merge(into, from map[string]interface{}) {
	for name, value := range from {
		inner, isMap := value.(map[string]interface{})
		known, isKnown := into[name].(map[string]interface{})
		if isMap && isKnown {
			merge(known, inner)
		} else {
			into[name] = value
		}
	}
}

func render(chart, valuesFile string) error {
	about, err := read(filepath.Join(chart, "Chart.yaml"))
	if err != nil {
		return err
	}
	values, err := read(filepath.Join(chart, "values.yaml"))
	if err != nil {
		return err
	}
	given, err := read(valuesFile)
	if err != nil {
		return err
	}
	merge(values, given)
	capitalized := map[string]interface{}{}
	for name, value := range about {
		capitalized[strings.ToUpper(name[:1])+name[1:]] = value
	}
	data := map[string]interface{}{
		"Values":  values,
		"Chart":   capitalized,
		"Release": map[string]interface{}{"Name": "sluice", "Namespace": "default", "Service": "Helm"},
	}
	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text bytes.Buffer
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	functions["fail"] = func(message string) (string, error) { return "", fmt.Errorf("%s", message) }
	all.Funcs(functions)
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	if err != nil {
		return err
	}
	sort.Strings(files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := all.New(filepath.Base(file)).Parse(string(text)); err != nil {
			return err
		}
	}
	for _, file := range files {
		name := filepath.Base(file)
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		var text bytes.Buffer
		if err := all.ExecuteTemplate(&text, name, data); err != nil {
			return err
		}
		if strings.TrimSpace(text.String()) != "" {
			fmt.Printf("---\n# Source: sluice/templates/%s\n%s\n", name, strings.TrimSpace(text.String()))
		}
	}
	return nil
}
